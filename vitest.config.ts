import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // In this order: the second one builds where the first one says.
    globalSetup: ["test/support/scratch.ts", "test/support/built.ts"],
    pool: "forks",
    maxWorkers: 2,
    // What takes this long hangs, also where other programs have most of the machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
