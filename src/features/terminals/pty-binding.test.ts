import { expect, test } from "vitest"
import { loadPty } from "./pty-binding.ts"

test("where no compiled code fits, one sentence says so, and what to do [38.40]", () => {
  const { arch } = process
  expect(typeof loadPty().fork).toBe("function")
  Object.defineProperty(process, "arch", { value: "riscv64" })
  try {
    expect(loadPty).toThrow(
      expect.objectContaining({
        code: "terminal.unavailable",
        message: `This installation of Coppice opens no terminal on ${process.platform} (riscv64).`,
        hints: [expect.stringContaining("coppice open")],
      }),
    )
  } finally {
    Object.defineProperty(process, "arch", { value: arch })
  }
})
