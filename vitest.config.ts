import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/longest-first.ts"

const TESTS = ["src/**/*.test.ts", "test/**/*.test.ts"]
/**
 * They change what their whole process goes by (PATH, where temporary files go), or go by what it has
 * started and remembered so far: shells and gits that wait, git's version, how patient it is with one.
 */
const OWN_PROCESS = [
  "src/kernel/git/start/*.test.ts",
  "src/kernel/landing/candidate/*.test.ts",
  "src/kernel/process/scratch-folder.test.ts",
  "src/kernel/workspaces/rescue/rescue.test.ts",
  "test/fault/{full-disk,landing,pairs}.test.ts",
  "test/scenarios/git-limit.test.ts",
]

const common = {
  setupFiles: ["test/support/patterns.ts"],
  pool: "forks",
  maxWorkers: 5,
  // What takes this long hangs, also where other programs have most of the machine.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // As `waitFor` of the tests. The default is one second, which a busy machine takes for nothing.
  expect: { poll: { timeout: 45_000 } },
} as const

export default defineConfig({
  test: {
    // In this order: the second one builds where the first one says.
    globalSetup: ["test/support/scratch.ts", "test/support/built.ts"],
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...common, name: "own process", include: OWN_PROCESS } },
      {
        test: {
          ...common,
          name: "shared process",
          // Not by `exclude`: in a project it would hide those of the command line.
          include: [...TESTS, ...OWN_PROCESS.map((file) => `!${file}`)],
          // To start one for each file, and import everything again, takes a quarter of a second each.
          isolate: false,
        },
      },
    ],
  },
})
