/** The first thing that a reader of README.md sees is what happens. */
import { readFile } from "node:fs/promises"
import { test } from "vitest"
import { withTranscript } from "../../scripts/transcript.ts"
import { expectGenerated } from "../support/generated.ts"

test("the transcript in README.md is what `coppice run` prints", async () => {
  const readme = await readFile("README.md", "utf8")
  const current = await withTranscript(readme)
  // Lines of the agent and of Coppice come over two connections; only the order of each counts.
  if (byTeller(current).join() === byTeller(readme).join()) return
  await expectGenerated("README.md", current)
})

/** The lines of `text`, those with a time of day behind the others. */
function byTeller(text: string): string[] {
  const isEvent = (line: string) => Number(/^\d\d:\d\d:\d\d /.test(line))
  return text.split("\n").toSorted((a, b) => isEvent(a) - isEvent(b))
}
