import { expect, test } from "vitest"
import { CpuSlots } from "./slots.ts"

/** Work that goes on until the test ends it. */
function work(log: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const run = async () => {
    log.push(name)
    await promise
    return name
  }
  return { run, end: resolve }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test("only so many work at a time, the others in order of arrival; a failure frees its slot too", async () => {
  const log: string[] = []
  const slots = new CpuSlots(2)
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => work(log, name))
  const failing = slots.run(() => a!.run().then(() => Promise.reject(new Error("failed"))))
  const others = [b, c, d].map((one) => slots.run(one!.run))
  await turn()
  expect(log).toEqual(["a", "b"])
  a!.end()
  await expect(failing).rejects.toThrow("failed")
  expect(log).toEqual(["a", "b", "c"])
  for (const one of [b, c, d]) one!.end()
  expect(await Promise.all(others)).toEqual(["b", "c", "d"])
})

test("a cancelled waiter takes no slot, even if it got its turn at that instant", async () => {
  const log: string[] = []
  const slots = new CpuSlots(1)
  const [first, second, third] = ["1", "2", "3"].map((name) => work(log, name))
  const running = slots.run(first!.run)
  const [soon, late] = [new AbortController(), new AbortController()]
  const waiting = [soon, late].map(({ signal }) => slots.run(second!.run, signal))
  const settled = Promise.allSettled(waiting)
  const last = slots.run(third!.run)
  soon.abort(new Error("given up"))
  await expect(waiting[0]).rejects.toThrow("given up")
  first!.end()
  await running
  late.abort(new Error("too late"))
  second!.end()
  third!.end()
  await settled
  expect(await last).toBe("3")
  expect(await slots.run(async () => "free")).toBe("free")
  await expect(slots.run(second!.run, AbortSignal.abort(new Error("at once")))).rejects.toThrow(
    "at once",
  )
})
