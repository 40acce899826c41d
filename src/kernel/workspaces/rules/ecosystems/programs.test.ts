import { expect, test } from "vitest"
import { findUnstartable, programsOf } from "./programs.ts"

test.each([
  ["npm ci", ["npm"]],
  ["CI=1 npm test -- --run", ["npm"]],
  ["python3 -m venv .venv && .venv/bin/python -m pip install -e '.[test]'", ["python3"]],
  ["cd web && pnpm i; make test | tee log", ["pnpm", "make", "tee"]],
  ["true", []],
  ["./gradlew test", []],
  ["$TOOL test", []],
  ['echo "a && b"', []],
  ["x $(uv run)", []],
])("`%s` needs %j on the PATH, as far as the line says it", (command, programs) => {
  expect(programsOf(command)).toEqual(programs)
})

test.each([
  ["/bin/sh: 1: uv: not found", "uv"],
  ["bash: line 1: uv: command not found", "uv"],
  ["zsh:1: command not found: uv\nsh: uv: not found", "uv"],
  ["> x@1 test\n> mocha --check\n\nsh: 1: mocha: not found\n", "mocha"],
  ["sh: 1: ./test.sh: Permission denied", "./test.sh"],
  ["/bin/sh: 1: .venv/bin/python: not found", ".venv/bin/python"],
  ["env: ‘node’: No such file or directory", "node"],
  ["/usr/bin/env: 'node': No such file or directory", "node"],
  ["bash: ./x: /bin/nope: bad interpreter: No such file or directory", undefined],
  ["something broke", undefined],
  ["", undefined],
])("in %j the missing program is %j", (output, program) => {
  expect(findUnstartable(output)).toBe(program)
})
