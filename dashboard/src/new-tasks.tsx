/** The form that starts tasks, on the fleet page and on an empty board. */
import { useId, useState } from "react"
import { clean } from "../../src/base/text/shown.ts"
import { api, isReadOnly } from "./api.ts"
import { Act } from "./controls.tsx"
import { useDraft } from "./drafts.ts"
import { FileNames, fileInputProps } from "./file-input.tsx"
import { sendable } from "./files.ts"
import { useFleet } from "./live.ts"
import { NO_EVENT, useRead } from "./read.ts"

const EMPTY_LINE = /\n\s*\n/

/**
 * Starts one task for each paragraph, all of them by one agent and on the same lower task. The paragraph
 * of a task that has started leaves the field.
 */
export function NewTasks() {
  const id = useId()
  const [text, setText] = useDraft(`${useFleet().home} new tasks`)
  const [on, setOn] = useState("")
  const [agent, setAgent] = useState("")
  const [files, setFiles] = useState<readonly File[]>([])
  const { document: status } = useRead(NO_EVENT, () => api.status())
  const agents = status?.limits?.agents.map(({ name }) => name) ?? []
  const prompts = text.split(EMPTY_LINE).filter((prompt) => prompt.trim())
  const start = async () => {
    for (const prompt of prompts) {
      const more = { ...(on.trim() && { on: on.trim() }), ...(agent && { agent }) }
      await api.create({ prompt: prompt.trim(), ...more, ...(await sendable(files)) })
      setText((now) => withoutParagraph(now, prompt))
    }
    setFiles([])
  }
  if (isReadOnly()) return null
  return (
    <section className="card new">
      <label htmlFor={id}>New tasks, with an empty line between their prompts</label>
      <textarea
        id={id}
        rows={4}
        value={text}
        onChange={({ target }) => setText(target.value)}
        {...fileInputProps((more) => setFiles([...files, ...more]))}
      />
      <FileNames files={files} field={id} onClear={() => setFiles([])} />
      {agents.length > 1 && (
        <label>
          Agent{" "}
          <select value={agent} onChange={({ target }) => setAgent(target.value)}>
            {["", ...agents].map((name) => (
              <option key={name} value={name}>
                {clean(name) || `the first one, ${clean(agents[0] ?? "")}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <LowerTask value={on} onChange={setOn} />
      <p className="buttons">
        <Act name={startWords(prompts.length)} isMain isIdle={prompts.length === 0} run={start} />
      </p>
    </section>
  )
}

/** The person may have typed more since the paragraphs were read. */
function withoutParagraph(text: string, paragraph: string): string {
  const all = text.split(EMPTY_LINE)
  const at = all.indexOf(paragraph)
  return at < 0 ? text : all.toSpliced(at, 1).join("\n\n")
}

function startWords(count: number): string {
  if (count === 0) return "Start"
  return count === 1 ? "Start 1 task" : `Start ${count} tasks`
}

type LowerTaskProps = {
  /** An id; empty for none. */
  readonly value: string
  onChange(id: string): void
}

/** The task on whose work the new ones begin. */
function LowerTask({ value, onChange }: LowerTaskProps) {
  const id = useId()
  const tasks = useFleet().list?.tasks ?? []
  const below = tasks.filter(({ state }) => !/^(complete|cancelled)$/.test(state))
  if (below.length === 0) return null
  return (
    <>
      <label htmlFor={id}>Start from the work of a task, and land after it (optional)</label>
      <input
        id={id}
        list={`${id}-below`}
        placeholder="from the target"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={`${id}-below`}>
        {below.map((task) => (
          <option key={task.id} value={task.id}>
            {clean(task.title)}
          </option>
        ))}
      </datalist>
    </>
  )
}
