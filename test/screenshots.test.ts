/** The pictures of the dashboard in README.md show the dashboard as it is. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { hashInputs, PICTURES, takePictures } from "../scripts/screenshots.ts"
import { expectGenerated } from "./support/generated.ts"

const FOLDER = "docs/images"
/** Every clone and every installation has them. */
const BYTES_MAX = 200_000

test("the pictures in README.md are of the present dashboard [38.16]", async () => {
  const path = join(FOLDER, "inputs.txt")
  const inputs = `${hashInputs()}\n`
  const isFresh = existsSync(path) && readFileSync(path, "utf8") === inputs
  if (process.env["UPDATE"] && !isFresh) await takePictures(FOLDER)
  await expectGenerated(path, inputs)
  const readme = readFileSync("README.md", "utf8")
  for (const name of PICTURES) {
    expect(readme).toContain(`${FOLDER}/${name}`)
    expect(statSync(join(FOLDER, name)).size, name).toBeLessThan(BYTES_MAX)
  }
})
