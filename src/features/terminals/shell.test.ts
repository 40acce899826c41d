import { expect, test } from "vitest"
import { shellEnvironment } from "./shell.ts"

const FACTS = { home: "/home/me/app", programs: "/state/bin" }

test("a shell has the person's environment, and no agent's, session's or other terminal's [38.33]", () => {
  const own = {
    HOME: "/home/me",
    PATH: "/usr/bin",
    GITHUB_TOKEN: "t",
    EDITOR: "vi",
    COPPICE_STATE: "/s",
  }
  const agents = { COPPICE_TOKEN: "x", COPPICE_TASK: "1", COPPICE_JOB: "2", COPPICE_PROCESS: "m:1" }
  const outer = {
    CLAUDE_CODE_ENTRYPOINT: "cli",
    TMUX: "/tmp/t",
    COLUMNS: "80",
    npm_config_user_agent: "n",
  }
  expect(
    shellEnvironment({ ...own, ...agents, ...outer, TERM: "dumb", NONE: undefined }, FACTS),
  ).toEqual({
    ...own,
    PATH: "/usr/bin:/state/bin",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    COPPICE_HOME: "/home/me/app",
  })
})
