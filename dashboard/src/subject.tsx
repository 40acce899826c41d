/**
 * The whole of what a permission or a proposal is about, part by part, for a person to judge.
 *
 * Each part has a box of its own, so that no line of an agent looks like a line of the page.
 */
import { shownValue } from "../../src/base/text/asked.ts"
import { reveal } from "../../src/base/text/shown.ts"

type Use = { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
type Proposed = {
  readonly title: string
  readonly prompt: string
  readonly after: readonly string[]
  readonly on?: string
  readonly agent?: string
  readonly report: boolean
}

export function ToolUse({ use: { tool, input } }: { readonly use: Use }) {
  return (
    <>
      <p className="why">
        May it use <strong>{reveal(tool)}</strong>?
      </p>
      <dl className="parts-of-use">
        {Object.entries(input).map(([name, value]) => (
          <div key={name}>
            <dt>{reveal(name)}</dt>
            <dd>
              <Words text={shownValue(value, 2)} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** The title and the prompt are the agent's own words. */
export function ProposedTask({ task }: { readonly task: Proposed }) {
  const { title, prompt, after, on, agent, report } = task
  const notes = [
    agent === undefined ? "" : `for the agent ${reveal(agent)}`,
    on === undefined ? "" : `starts from the work of ${on}`,
    after.length > 0 ? `lands after ${after.join(", ")}` : "",
    report ? "its agent gets the result" : "",
  ].filter(Boolean)
  return (
    <>
      <p className="quiet">It proposes another task{notes.length > 0 && `: ${notes.join(", ")}`}</p>
      <p className="why">
        <strong>{reveal(title)}</strong>
      </p>
      <Words text={prompt} />
    </>
  )
}

/** All of it, byte for byte, with marks; the buttons come after its end. */
export const Words = ({ text }: { readonly text: string }) => (
  <pre className="subject">{reveal(text)}</pre>
)
