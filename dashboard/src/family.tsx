/** The tree of tasks that a task belongs to: its parents, its siblings, and their sub-tasks. */

import { asTree } from "../../src/api/wire/task-groups.ts"
import { clean } from "../../src/base/text/shown.ts"
import { DEPTH_MAX } from "./board.tsx"
import { useFleet } from "./live.ts"
import { type Line, stateWords, toneOf } from "./words.ts"

export function Family({ id }: { readonly id: string }) {
  const tree = treeOf(id, useFleet().list?.tasks ?? [])
  if (tree.length < 2) return null
  return (
    <section aria-label="Sub-tasks">
      <h2>Sub-tasks</h2>
      <ul className="family">
        {tree.map(({ task, depth }) => (
          <li key={task.id} className={`depth-${Math.min(depth, DEPTH_MAX)}`}>
            <a href={`#/task/${task.id}`} aria-current={task.id === id ? "true" : undefined}>
              {clean(task.title)}
            </a>{" "}
            <span className={`facts ${toneOf(task)}`}>
              <span className="state">{stateWords(task.state)}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The tasks under its highest parent, as a tree. */
function treeOf(id: string, tasks: readonly Line[]): ReturnType<typeof asTree<Line>> {
  const all = asTree(tasks)
  const at = all.findIndex(({ task }) => task.id === id)
  const from = all.findLastIndex(({ depth }, index) => index <= at && depth === 0)
  const rest = all.slice(from + 1)
  const count = rest.findIndex(({ depth }) => depth === 0)
  return at < 0 ? [] : all.slice(from, count < 0 ? undefined : from + 1 + count)
}
