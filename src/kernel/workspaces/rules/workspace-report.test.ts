import { expect, test } from "vitest"
import { NONE_MISSING, reportLines, type WorkspaceReport } from "./workspace-report.ts"

const REPORT: WorkspaceReport = {
  repo: "app",
  worktree: "/w/7",
  fresh: true,
  copied: [],
  copiedCount: 0,
  linked: [],
  linkedCount: 0,

  setup: null,
  check: null,
  ports: null,
  busyPorts: [],
  slug: "t7_x_0a1b2c3d",
  missing: NONE_MISSING,
  submodules: [],
  pointers: [],
  left: "",
  leftCount: 0,
  putBack: [],
  putBackCount: 0,
  exposed: [],
  exposedCount: 0,
}

test("no news make no line", () => {
  expect(reportLines(REPORT)).toEqual([])
  expect(reportLines({ ...REPORT, missing: { ...NONE_MISSING, outputCount: 9 } })).toEqual([])
  expect(reportLines({ ...REPORT, ports: { first: 20_140, count: 10 } })).toEqual([])
})

test("reports in words its steps, and missing files with the setting that provides them [28.6]", () => {
  const report: WorkspaceReport = {
    ...REPORT,
    copied: [".env"],
    copiedCount: 3,
    linked: ["data"],
    linkedCount: 1,
    setup: { command: "npm ci", outcome: "passed", durationMs: 12_400 },
    check: { command: "true", outcome: "failed", durationMs: 40 },
    ports: { first: 20_140, count: 10 },
    missing: {
      wanted: [
        { path: ".env.local", by: "copy" },
        { path: ".venv", by: "setup" },
      ],
      moreCount: 2,
      outputCount: 4,
    },
    busyPorts: [20_141],
    submodules: ["lib"],
    pointers: ["a.bin", "b.bin"],
  }
  expect(reportLines(report)).toEqual([
    "copied .env and 2 more; linked data",
    "set-up `npm ci` passed after 12 s",
    "check `true` failed after 0.0 s",
    "in use by something else: ports 20141",
    "ports 20140 to 20149, slug t7_x_0a1b2c3d",
    "empty submodules: lib (`git submodule update --init` in `repos.app.setup` fills them)",
    "pointers of Git LFS: a.bin, b.bin (`git lfs pull` in `repos.app.setup` fills them)",
    "missing here: .env.local, and 2 more (`repos.app.copy` brings it)",
    "missing here: .venv (`repos.app.setup` makes it)",
    "and 4 build outputs or caches",
  ])
  const setup = { command: "npm ci", outcome: "reused", durationMs: 0 } as const
  expect(reportLines({ ...REPORT, setup })).toEqual([
    "set-up `npm ci`: nothing it depends on has changed",
  ])
})
