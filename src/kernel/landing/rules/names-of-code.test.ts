import { expect, test } from "vitest"
import { NamedFiles } from "./names-of-code.ts"

const FILES = [
  "done.sh",
  "scripts/done.sh",
  "scripts/lib.sh",
  "scripts/hooks.d/a.sh",
  "tools/done.py",
  "tools/__main__.py",
  "web/lib/index.js",
  "web/node_modules/left/index.js",
  "Makefile",
  "package.json",
  "src/done.ts",
  "src/other.ts",
]
const files = new NamedFiles(FILES)

test.each([
  ["sh scripts/done.sh", "scripts/done.sh"],
  ["sh ./scripts//done.sh; true", "scripts/done.sh"],
  ["cd scripts && ./done.sh", "scripts/done.sh"],
  [`bash "$PWD"/scripts/done.sh`, "scripts/done.sh"],
  [`\${SHELL} "\${ROOT}/done.sh"`, "scripts/done.sh"],
  ["/home/me/app/scripts/done.sh 1", "scripts/done.sh"],
  ["sh app/scripts/done.sh", "scripts/done.sh"],
  ["run-parts scripts/hooks.d", "scripts/hooks.d/a.sh"],
  ["for f in scripts/hooks.d/*.sh; do . $f; done", "scripts/hooks.d/a.sh"],
  ["sh do*", "done.sh"],
  ["python3 -m tools.done", "tools/done.py"],
  ["python3 -m tools", "tools/__main__.py"],
  [`node -e 'require("./web/lib")'`, "web/lib/index.js"],
  ["make notify", "Makefile"],
  ["npm run notify", "package.json"],
  ["sh scr\\ipts/done.sh", "scripts/done.sh"],
])("%s names %s", (command, file) => {
  expect([...files.find(command)]).toContain(file)
})

test.each([
  [`. "$(dirname "$0")/lib.sh"`, "scripts", "scripts/lib.sh"],
  ["import left from 'left'", "web", "web/node_modules/left/index.js"],
  ["from . import done", "tools", "tools/done.py"],
  ["for f in *; do . $f; done", "scripts/hooks.d", "scripts/hooks.d/a.sh"],
])("the script %s in %s names %s", (text, folder, file) => {
  expect([...files.find(text, folder)]).toContain(file)
})

test("no other files are named, and by a bare word only those beside the script and at the root", () => {
  const send = "curl --data @- https://example.org/other"
  expect([...files.find(send)]).toEqual([])
  expect([...files.find("git fetch --quiet")]).toEqual([])
  expect([...files.find("if test done; then echo other; fi", "src")].sort()).toEqual([
    "done.sh",
    "src/done.ts",
    "src/other.ts",
  ])
})
