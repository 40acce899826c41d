import { expect, test } from "vitest"
import { leftoversMessage } from "./leftovers-message.ts"

const agent = (commitMessage: string) =>
  ({ workspace: { commitMessage } }) as Parameters<typeof leftoversMessage>[0]

test.each([
  ["Fixed it.\n\nAll of\tit $& \u001b[1m", "agent: Fixed it. All of it $&"],
  [null, "agent: A title"],
  [" \n", "agent: A title"],
  ["a".repeat(300), `agent: ${"a".repeat(199)}…`],
])(
  "a summary is the last message in one line, or the title: %j [25.20]",
  (lastMessage, subject) => {
    const message = leftoversMessage(agent("agent: {summary}"), { title: "A title", lastMessage })
    expect(message).toBe(subject)
  },
)
