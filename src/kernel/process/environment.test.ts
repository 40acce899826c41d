import { expect, test } from "vitest"
import { agentEnvironment, commandEnvironment } from "./environment.ts"

test("variables that agents need pass; tokens and our own do not [9.10, 29.1]", () => {
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
    JIRA_API_TOKEN: "t",
    JIRA_EMAIL: "e",
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

test("the variables of a model pass to the agent alone, also those of the agent's `env` [29.2]", () => {
  const models = {
    ANTHROPIC_API_KEY: "k",
    CLAUDE_CODE_USE_BEDROCK: "1",
    AWS_SECRET_ACCESS_KEY: "k",
    OPENAI_API_KEY: "k",
    CODEX_HOME: "/c",
    GEMINI_API_KEY: "k",
    GOOGLE_API_KEY: "k",
  }
  const own = { MODE: "test", ANTHROPIC_AUTH_TOKEN: "k" }
  const parent = { PATH: "/bin", ...models }
  expect(commandEnvironment(parent, own)).toEqual({ PATH: "/bin", MODE: "test" })
  expect(agentEnvironment(parent, own)).toEqual({ ...parent, ...own })
})

test.each([
  ...["CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "GOPATH", "GEM_HOME", "PYENV_ROOT", "DOTNET_ROOT"],
])("%s, the folder of a tool, passes to set-up and gate as well [29.1]", (name) => {
  expect(commandEnvironment({ [name]: "/opt/tool", GEM_HOST_API_KEY: "k" }, {})).toEqual({
    [name]: "/opt/tool",
  })
})

test("extra variables take precedence", () => {
  expect(agentEnvironment({ HOME: "/a" }, { HOME: "/b", GITHUB_TOKEN: "meant" })).toEqual({
    HOME: "/b",
    GITHUB_TOKEN: "meant",
  })
})
