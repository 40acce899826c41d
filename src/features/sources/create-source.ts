/** Makes the source that a part of coppice.yml describes: the one place that names concrete ones. */
import { join } from "node:path"
import { assert } from "../../base/assert.ts"
import type { SourceConfig } from "../../config/config.ts"
import { chatSource } from "./chat/chat-source.ts"
import { Discord } from "./chat/discord.ts"
import { Slack } from "./chat/slack.ts"
import { SourceError } from "./errors.ts"
import { filesSource } from "./folder-source.ts"
import type { Source } from "./source.ts"
import { findToken } from "./source-token.ts"
import { giteaSource } from "./trackers/gitea.ts"
import { githubSource } from "./trackers/github.ts"
import { gitlabSource } from "./trackers/gitlab.ts"
import { jiraSource } from "./trackers/jira.ts"
import { linearSource } from "./trackers/linear.ts"

type Settings = SourceConfig & { readonly project: string; readonly apiUrl: string }
type Parts = { nowMs(): number; token(): Promise<string> }
/** `api`: undefined without one public host. */
type Kind = { readonly api?: string; make(settings: Settings, parts: Parts): Source }

const TRACKERS: Readonly<Record<Exclude<SourceConfig["type"], "files">, Kind>> = {
  github: {
    api: "https://api.github.com",
    make: (settings, parts) => githubSource({ ...settings, repo: settings.project }, parts),
  },
  gitlab: {
    api: "https://gitlab.com/api/v4",
    make: (settings, parts) => gitlabSource({ ...settings, repo: settings.project }, parts),
  },
  gitea: {
    make: (settings, parts) => giteaSource({ ...settings, repo: settings.project }, parts),
  },
  jira: {
    make: (settings, parts) => jiraSource(settings, { ...parts, ...jiraLogin(settings, parts) }),
  },
  linear: {
    api: "https://api.linear.app",
    make: (settings, parts) => linearSource({ ...settings, team: settings.project }, parts),
  },
  slack: {
    api: "https://slack.com/api",
    make: (settings, parts) =>
      chatSource(new Slack(roomOf(settings), parts), { ...settings, ...parts }),
  },
  discord: {
    api: "https://discord.com/api/v10",
    make: (settings, parts) =>
      chatSource(new Discord(roomOf(settings), parts), { ...settings, ...parts }),
  },
}

const roomOf = ({ apiUrl, project: channel }: Settings) => ({ apiUrl, channel })

/** Jira takes a token only together with the address of its account. */
function jiraLogin({ email = process.env["JIRA_EMAIL"] }: Settings, { token }: Parts) {
  if (email) return { email, token }
  const missing = "Set `email` of the source, or JIRA_EMAIL: the account whose token it is."
  const refuse = () => Promise.reject(new SourceError("source.refused", missing))
  return { email: "", token: refuse }
}

/** @param home real path. */
export function createSource(home: string, config: SourceConfig, nowMs: () => number): Source {
  const { type, folder, project, tokenVariable: variable } = config
  if (type === "files") {
    assert(folder !== undefined, "a source of files has a folder")
    return filesSource(join(home, folder))
  }
  const { make, api } = TRACKERS[type]
  const { apiUrl = api } = config
  assert(project !== undefined && apiUrl !== undefined, "a service has a project and an address")
  const token = findToken({ type, api: apiUrl, variable }, process.env, nowMs)
  return make({ ...config, project, apiUrl }, { token, nowMs })
}
