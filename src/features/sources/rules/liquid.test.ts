import { expect, test } from "vitest"
import { renderTemplate } from "./liquid.ts"

test.each([
  ["a {{ issue.title }} b", "a (see the work item) b"],
  ["{{issue.labels | join: ', '}}", "(see the work item)"],
  ["a{% if attempt %}b{{ attempt }}{% else %}c{% endif %}d", "acd"],
  ["{%- unless attempt -%}a{%- endunless -%}", "a"],
  ["{% if issue.url %}a{% if attempt %}b{% else %}c{% endif %}d{% else %}e{% endif %}", "acd"],
  ["{% if attempt %}a{% if issue.url %}b{% endif %}c{% endif %}d", "d"],
  ["", ""],
])("%j is filled in for a first attempt at an issue with every field [39.17]", (template, text) => {
  expect(renderTemplate(template)).toEqual({ text })
})

test.each([
  "{{ issue.colour }}",
  "{{ isue.title }}",
  "{{ issue.title.size }}",
  "{% if issue.colour %}a{% endif %}",
  "{% if issue.labels contains 'x' %}a{% endif %}",
  "{% assign a = 1 %}",
  "{% constructor attempt %}a{% endif %}",
  "{% if attempt %}a",
  "{% endif %}",
  "{% else %}",
  "{% if attempt",
  "{{ issue.title",
])("%j is refused, and says why [39.17]", (template) => {
  expect(renderTemplate(template)).toEqual({ fault: expect.stringMatching(/^its prompt has /) })
})

test("a template without ends is read in moderate time", () => {
  for (const part of ["{% if attempt %}", "{%", "{{ ", "\n"])
    expect(renderTemplate(part.repeat(32_000 / part.length))).toBeDefined()
  expect(renderTemplate("{%".repeat(60_000))).toHaveProperty("fault")
}, 2_000)
