import { expect, test } from "vitest"
import { agentEnvironment } from "./environment.ts"

test("what agents need passes; tokens and our own variables do not", () => {
  const passes = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    https_proxy: "http://proxy",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    ANTHROPIC_API_KEY: "k",
    CLAUDE_CODE_USE_BEDROCK: "1",
    AWS_REGION: "eu-central-1",
  }
  const stays = {
    GITHUB_TOKEN: "t",
    GH_TOKEN: "t",
    GITLAB_TOKEN: "t",
    LINEAR_API_KEY: "t",
    NPM_TOKEN: "t",
    COPPICE_HOME: "/h",
    COPPICE_PROCESS: "outer:1",
    GIT_DIR: "/repo/.git",
    NODE_OPTIONS: "--inspect",
    CLAUDE_CODE_ENTRYPOINT: "cli",
  }
  expect(agentEnvironment({ ...passes, ...stays, EMPTY: undefined }, { EXTRA: "1" })).toEqual({
    ...passes,
    EXTRA: "1",
  })
})

test("what is given beside it wins", () => {
  expect(agentEnvironment({ HOME: "/a" }, { HOME: "/b", GITHUB_TOKEN: "meant" })).toEqual({
    HOME: "/b",
    GITHUB_TOKEN: "meant",
  })
})
