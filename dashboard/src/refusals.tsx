/**
 * Shows refused requests whose button is gone, for example because another person acted first and the
 * card moved. Each stays until a person dismisses it.
 */
import { useSyncExternalStore } from "react"
import { clean } from "../../src/base/text/shown.ts"

type Refusal = { readonly id: number; readonly text: string }

/** Only the newest are kept. */
const REFUSALS_MAX = 5
let refusals: readonly Refusal[] = []
let count = 0
const watchers = new Set<() => void>()

function change(next: readonly Refusal[]): void {
  refusals = next
  for (const watcher of watchers) watcher()
}

/** @param name of the button. */
export function addRefusal(name: string, reason: string): void {
  count += 1
  change([...refusals, { id: count, text: `${name}: ${reason}` }].slice(-REFUSALS_MAX))
}

export function Refusals() {
  const shown = useSyncExternalStore(watch, () => refusals)
  return (
    <div role="alert" className="refusals">
      {shown.map(({ id, text }) => (
        <p key={id} className="error">
          {clean(text)}{" "}
          <button type="button" onClick={() => change(refusals.filter((one) => one.id !== id))}>
            Dismiss
          </button>
        </p>
      ))}
    </div>
  )
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
