import { expect, test } from "vitest"
import type { GitPath } from "../../../base/ids.ts"
import { displayPath, gitPath, joinBytes, parentsOf, pathBytes } from "./git-path.ts"

const odd = "a\xff*.txt" as GitPath

test("a path keeps its bytes on the way to the file system", () => {
  expect(pathBytes(gitPath("ü")).toString("utf8")).toBe("ü")
  expect(joinBytes("/ü", odd)).toEqual(
    Buffer.from([47, 0xc3, 0xbc, 47, 97, 0xff, 42, 46, 116, 120, 116]),
  )
})

test("people see UTF-8 where it is, and escapes where it is not", () => {
  expect(displayPath(gitPath("grün/b c.txt"))).toBe("grün/b c.txt")
  expect(displayPath(gitPath("a\nb\x1b[1m"))).toBe("a\\x0ab\\x1b[1m")
  expect(displayPath(odd)).toBe("a\\xff*.txt")
})

test("a path's parents are its folders, outermost first", () => {
  expect(parentsOf(gitPath("a/b c/d"))).toEqual(["a", "a/b c"])
  expect(parentsOf(gitPath("a"))).toEqual([])
})
