/**
 * Makes the kept home: `node test/support/kept-home/make.ts`.
 *
 * It was made once, by the version that the fixture is of. A later version must open it as it is, so do not make it
 * again: a change of the rows is a migration.
 */
import { join } from "node:path"
import { listOfHome } from "../marked.ts"
import { waitFor } from "../wait-for.ts"
import { writeFixture } from "./fixture.ts"
import { HeldGit } from "./held-git.ts"
import { Place } from "./place.ts"
import { Story } from "./story.ts"

await using place = await Place.create()
await new Story(place, new HeldGit(join(place.path, "held"))).tell()
const pid = await place.pid()
if (pid === null) throw new Error("no daemon runs")
process.kill(pid, "SIGKILL")
// The daemon's guard ends the agents. Each git that waits has done nothing, and does nothing now.
await waitFor("the end of all processes", () => {
  const left = listOfHome(place.path)
  for (const one of left) end(one)
  return left.length === 0
})
writeFixture(place)

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // the process has just ended
  }
}
