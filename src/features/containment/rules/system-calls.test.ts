import { expect, test } from "vitest"
import { systemCallFilter } from "./system-calls.ts"

const ALLOW = 0x7fff0000
const refused = (errno: number) => 0x50000 + errno
const ARCHITECTURES = { x64: 0xc000003e, i386: 0x40000003, arm64: 0xc00000b7, arm: 0x40000028 }

/** The answer of the kernel: the instructions are those of BPF. */
function judge(filter: Buffer, arch: number, number: number, args: readonly number[] = []): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(arch, 4)
  for (const [n, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * n)
  let accumulator = 0
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at)
    const [jumpTrue, jumpFalse] = [filter[at + 2]!, filter[at + 3]!]
    const value = filter.readUInt32LE(at + 4)
    const branch = (is: boolean) => (at += 8 * (is ? jumpTrue : jumpFalse))
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x05) at += 8 * value
    else if (code === 0x15) branch(accumulator === value)
    else if (code === 0x35) branch(accumulator >= value)
    else if (code === 0x45) branch((accumulator & value) !== 0)
    else if (code === 0x06) return value
    else throw new Error(`no instruction ${code}`)
  }
  throw new Error("a filter returns")
}

test.each([
  ["x64", "x64", [248, 249, 250, 165, 272, 308, 321, 425, 442]],
  ["x64", "i386", [286, 287, 288, 21, 310, 346, 357, 425, 442]],
  ["arm64", "arm64", [217, 218, 219, 40, 97, 268, 280, 425, 442]],
] as const)("on %s, %s programs get no keyring, mount or namespace", (machine, arch, numbers) => {
  const filter = systemCallFilter(machine)!
  for (const number of numbers)
    expect(judge(filter, ARCHITECTURES[arch], number), `${number}`).toBe(refused(1))
  expect(judge(filter, ARCHITECTURES[arch], 435)).toBe(refused(38))
})

test.each([
  ["x64", "x64", { clone: 56, socket: 41, open: 257, chmod: 268, read: 0 }],
  ["x64", "i386", { clone: 120, socket: 359, open: 295, chmod: 306, read: 3 }],
  ["arm64", "arm64", { clone: 220, socket: 198, open: 56, chmod: 53, read: 63 }],
] as const)("on %s, %s programs are judged by their arguments", (machine, arch, calls) => {
  const filter = systemCallFilter(machine)!
  const of = (number: number, ...args: number[]) => judge(filter, ARCHITECTURES[arch], number, args)
  expect(of(calls.read)).toBe(ALLOW)
  expect([of(calls.clone, 0x3d0f00), of(calls.clone, 0x10000011)]).toEqual([ALLOW, refused(1)])
  expect([of(calls.socket, 2), of(calls.socket, 40)]).toEqual([ALLOW, refused(97)])
  expect(of(calls.chmod, 0, 0, 0o1755)).toBe(ALLOW)
  expect(of(calls.open, 0, 0, 0x41, 0o644)).toBe(ALLOW)
  for (const mode of [0o2755, 0o4755])
    expect([of(calls.chmod, 0, 0, mode), of(calls.open, 0, 0, 0x41, mode)]).toEqual([
      refused(1),
      refused(1),
    ])
  expect(of(calls.open, 0, 0, 0, 0o4755), "without O_CREAT it is no mode").toBe(ALLOW)
})

test("calls of an unknown kind do not exist, and an unknown machine has no filter", () => {
  const filter = systemCallFilter("x64")!
  expect(judge(filter, ARCHITECTURES.x64, 0x40000000)).toBe(refused(38))
  expect(judge(filter, ARCHITECTURES.arm, 0)).toBe(refused(38))
  expect(systemCallFilter("s390x")).toBeUndefined()
})
