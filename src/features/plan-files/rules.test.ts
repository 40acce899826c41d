import { expect, test } from "vitest"
import { readPlanFile } from "./rules.ts"

const tasksOf = (text: string, isMarkdown: boolean) => {
  const read = readPlanFile(text, isMarkdown)
  return read.kind === "ok" ? read.tasks : read.problems.map(({ path, message }) => [path, message])
}

test("reads a YAML list, and puts each task behind those that it follows [15.21]", () => {
  const text = `
tasks:
  - title: Add a parser
    after: [lex, Name the tokens]
    agent: coder
  - { title: Add a lexer, id: lex, prompt: Split the input., priority: 2 }
  - title: Name the tokens`
  expect(tasksOf(text, false)).toEqual([
    { title: "Add a lexer", prompt: "Split the input.", priority: 2, follows: [] },
    { title: "Name the tokens", prompt: "Name the tokens", follows: [] },
    { title: "Add a parser", prompt: "Add a parser", agent: "coder", follows: [0, 1] },
  ])
})

test("reads a Markdown list: titles, keys, prompts; ticked items are done [15.21]", () => {
  const text = `# The plan

Why we do this.

1. **Add a lexer**
   id: lex
   Split the input:

   - spaces
     - tabs

* * *
## Later
- [x] Name the tokens
- [ ] Add a parser, quickly
  after: lex, Name the tokens
* Test it
  after: Add a parser, quickly
`.replaceAll("\n", "\r\n")
  expect(tasksOf(text, true)).toEqual([
    {
      title: "Add a lexer",
      prompt: "Add a lexer\n\nSplit the input:\n\n- spaces\n  - tabs",
      follows: [],
    },
    { title: "Add a parser, quickly", prompt: "Add a parser, quickly", follows: [0] },
    { title: "Test it", prompt: "Test it", follows: [1] },
  ])
})

test("`on` puts a task on the work of another one, which comes first; of a ticked one it starts at the target [15.21]", () => {
  const yaml =
    "- { title: Parser, on: lex, after: Docs }\n- { title: Lexer, id: lex }\n- title: Docs"
  const parser = { title: "Parser", prompt: "Parser", follows: [1], stacksOn: 0 }
  expect(tasksOf(yaml, false)).toEqual([
    { title: "Lexer", prompt: "Lexer", follows: [] },
    { title: "Docs", prompt: "Docs", follows: [] },
    parser,
  ])
  const list = "- [x] Lexer\n- Parser\n  on: Lexer\n- Printer\n  on: Parser"
  expect(tasksOf(list, true)).toEqual([
    { title: "Parser", prompt: "Parser", follows: [] },
    { title: "Printer", prompt: "Printer", follows: [], stacksOn: 0 },
  ])
  expect(tasksOf("- { title: A, on: B }\n- { title: B, after: A }", false)).toEqual([
    ["", 'has tasks that wait for each other: "A", "B"'],
  ])
  expect(tasksOf("- { title: A, on: C }", false)).toEqual([
    ['"A": on', "`C` names no task of the plan"],
  ])
})

test.each([
  [
    "- titel: a",
    [
      ["task 1: title", /missing/],
      ["task 1: titel", /did you mean `title`/],
    ],
  ],
  ["- title: a\n  after: b", [['"a": after', /`b` names no task of the plan/]]],
  ["- title: a\n- title: a\n- title: b\n  after: a", [['"b": after', /`a` names several tasks/]]],
  ["- title: a\n  after: b\n- title: b\n  after: a", [["", /wait for each other: "a", "b"/]]],
  ["- title: a\n  after: a", [["", /wait for each other/]]],
  ["tasks: 3", [["", /must be a list of tasks/]]],
  ["", [["", /must be a list of tasks/]]],
  ["[]", [["", /has no tasks/]]],
  ["- a", [["task 1", /must be a section of keys/]]],
  ["- title: 'a\u0001'", [["task 1: title", /one line without control characters/]]],
])("refuses %j with its place", (text, problems) => {
  const found = tasksOf(text, false)
  expect(found).toHaveLength(problems.length)
  for (const [path, message] of problems)
    expect(found).toContainEqual([path, expect.stringMatching(message as RegExp)])
})

test.each([
  ["- a\nb\n", [["line 2", "is in no item: indent it"]]],
  ["no list", [["", "has no tasks"]]],
  ["- [x] a", [["", "has no task that is left to do"]]],
  [Array(101).fill("- a").join("\n"), [["", "has more than 100 tasks"]]],
])("refuses the Markdown %j", (text, problems) => {
  expect(tasksOf(text, true)).toEqual(problems)
})
