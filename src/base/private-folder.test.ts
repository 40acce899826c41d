import { expect, test } from "vitest"
import { faultAbove } from "./private-folder.ts"

const ME = 1000
const ALL = "is in a folder that all users can write"
const OTHER = "is in a folder of another user (uid 33)"
const group = (gid: number) => `is in a folder that a group can write (gid ${gid})`

test.each([
  { uid: ME, gid: ME, mode: 0o755, fault: undefined },
  { uid: 0, gid: 0, mode: 0o755, fault: undefined },
  { uid: 33, gid: ME, mode: 0o755, fault: OTHER },
  { uid: ME, gid: ME, mode: 0o777, fault: ALL },
  { uid: 0, gid: 0, mode: 0o1777, fault: undefined },
  { uid: ME, gid: ME, mode: 0o775, fault: undefined },
  { uid: ME, gid: 50, mode: 0o775, fault: group(50) },
  { uid: 0, gid: 50, mode: 0o775, fault: group(50) },
  { uid: 0, gid: 50, mode: 0o1775, fault: undefined },
  { uid: ME, gid: 50, mode: 0o775, primary: 50, fault: group(50) },
  { uid: ME, gid: ME, mode: 0o775, primary: 50, fault: group(ME) },
])(
  "a folder in which another user could replace the user's own is at fault ($uid:$gid $mode) [34.3]",
  ({ fault, primary = ME, ...facts }) => {
    const above = { ...facts, isDirectory: () => true }
    expect(faultAbove(above, { uid: ME, gid: primary })).toBe(fault)
  },
)

test("where the system has no users, no folder is at fault", () => {
  const above = { uid: 0, gid: 0, mode: 0o777, isDirectory: () => true }
  expect(faultAbove(above, { uid: undefined, gid: undefined })).toBe(undefined)
})
