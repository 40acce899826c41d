/**
 * Sends requests to the REST API that Gitea and Forgejo share, for sources and forges.
 *
 * @see https://docs.gitea.com/api/
 */
import { RestClient, type RestOptions } from "../rest/client.ts"

export type GiteaOptions = Omit<RestOptions, "authorize" | "exchange">

/** @param options `api` ends with `/api/v1`. */
export function giteaClient(options: GiteaOptions): RestClient {
  return new RestClient({
    ...options,
    authorize: (token) => ({ authorization: `token ${token}` }),
  })
}
