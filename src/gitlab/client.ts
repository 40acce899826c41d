/**
 * Sends requests to GitLab's REST API, for sources and forges.
 *
 * @see https://docs.gitlab.com/api/rest/
 */
import { RestClient, type RestOptions } from "../rest/client.ts"

export type GitLabOptions = Omit<RestOptions, "authorize" | "exchange">

/** @param options `api` ends with `/api/v4`. A project is named by its path: `{project}` encodes it. */
export function gitLabClient(options: GitLabOptions): RestClient {
  return new RestClient({
    ...options,
    authorize: (token) => ({ authorization: `Bearer ${token}` }),
  })
}
