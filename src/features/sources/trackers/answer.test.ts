import { expect, test } from "vitest"
import { z } from "zod"
import { type Answer, checked, thoseFit } from "./answer.ts"

const ofIssues = (data: unknown) =>
  checked(thoseFit(z.object({ title: z.string() })), { kind: "ok", data, hasNext: false } as Answer)

test("one issue of another form hides no others", () => {
  const data = [{ title: "a" }, { title: null }, { title: "b" }]
  expect(ofIssues(data)).toMatchObject({ data: [{ title: "a" }, { title: "b" }] })
  expect(ofIssues([])).toMatchObject({ data: [] })
})

test("a list in which nothing has the form is no answer of the tracker", () => {
  expect(() => ofIssues([{ title: null }])).toThrow("not one of the tracker's API")
})
