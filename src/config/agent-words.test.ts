import { expect, test } from "vitest"
import { splitWords } from "../base/text/split-words.ts"
import { fillIn, findFault, nameOfProgram } from "./agent-words.ts"

const wordsOf = (text: string) => {
  const split = splitWords(text)
  return split.kind === "words" ? split.words : split.why
}

test.each([
  ["aider --message {prompt}", ["aider", "--message", "{prompt}"]],
  ["  a  b\tc\n", ["a", "b", "c"]],
  [`a "b c" 'd "e' f\\ g "h \\"i\\" $j" ''`, ["a", "b c", 'd "e', "f g", 'h "i" $j', ""]],
  ["a --x='b c'd", ["a", "--x=b cd"]],
  ["a -n 2 b~1 c#d --all=*", ["a", "-n", "2", "b~1", "c#d", "--all=*"]],
  ["", []],
])("%j is split as a shell would", (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test.each([
  "a | b",
  "a && b",
  "a; b",
  "a > f",
  "$HOME/a",
  "a `b`",
  "a *",
  "~/a",
  "a 'b",
  'a "b',
  "a\\",
])("%j needs a shell, so it is refused", (text) => {
  expect(wordsOf(text)).toMatch(/must be in quotes|is not closed/)
})

test.each([
  ["sh -c {prompt}", "as code"],
  ["/bin/bash -lc {prompt}", "as code"],
  ["env -i sh -c {prompt}", "as code"],
  ["python3.12 -c {prompt}", "as code"],
  ["node --eval {prompt}", "as code"],
  ["ssh host agent {prompt}", "as code"],
  ["sh -c -- {prompt}", "as code"],
  ["timeout 5 bash -c +e {prompt}", "as code"],
  ["node --eval={prompt}", "as code"],
  ["env --split-string={prompt}", "as code"],
  ["pwsh -Command {prompt}", "as code"],
  ["awk {prompt}", "as code"],
  ["sh -c 'agent {prompt}'", "an argument of its own"],
  ["docker run x sh -c 'agent {prompt}'", "an argument of its own"],
  ["agent --x {prompt}y", "an argument of its own"],
  ["{prompt}", "cannot choose the program"],
  ["agent {promt} {prompts}", "{prompts} is not known"],
  ["agent {Prompt}", "{Prompt} is not known"],
  ["", "names no program"],
])("%j is refused, because a prompt could do harm there [30.11]", (text, why) => {
  expect(findFault(wordsOf(text) as string[])).toContain(why)
})

test.each([
  "aider --message {prompt}",
  "agent --message={prompt}",
  "node agent.js --say {prompt}",
  "python3 -m agent {prompt}",
  `sh -c 'agent "$1"' _ {prompt}`,
  "sh -c 'agent < {promptFile}'",
  "awk {print}",
])("%j is possible", (text) => {
  expect(findFault(wordsOf(text) as string[])).toBeUndefined()
})

test("a value is never read for placeholders again", () => {
  const values = {
    prompt: "{session} {promptFile} $&",
    promptFile: "{turn}",
    session: "s",
    turn: "2",
  }
  expect(fillIn(["{prompt}", "--a={prompt}", "{promptFile}-{session}"], values)).toEqual([
    "{session} {promptFile} $&",
    "--a={session} {promptFile} $&",
    "{turn}-s",
  ])
})

test("an agent has the name of its program", () => {
  const names = ["aider", "/opt/my agent/run it!", "../-x", "…"].map((one) => nameOfProgram([one]))
  expect(names).toEqual(["aider", "run-it-", "x", "command"])
})
