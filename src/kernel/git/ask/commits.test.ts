import { expect, test } from "vitest"
import type { Oid } from "../../../base/ids.ts"
import { parseLinks } from "./cat-file.ts"

const [own, tree, parent] = ["1", "a", "b"].map((digit) => digit.repeat(40)) as [Oid, Oid, Oid]
const who = "author a <a@example.com> 0 +0000\ncommitter a <a@example.com> 0 +0000\n"

test("ids in capitals are the same, and a parent line in the message is ignored", () => {
  const raw = `tree ${tree.toUpperCase()}\nparent ${parent.toUpperCase()}\n${who}parent ${own}\n\nparent ${own}\n`
  expect(parseLinks(own, raw)).toEqual({ oid: own, tree, parents: [parent], raw })
})
