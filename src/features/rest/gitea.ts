/**
 * Sends requests to the REST API that Gitea and Forgejo share, for sources and forges.
 *
 * @see https://docs.gitea.com/api/
 */
import { type ApiOptions, RestClient } from "./client.ts"

/** @param options `api` ends with `/api/v1`. */
export function giteaClient(options: ApiOptions): RestClient {
  return new RestClient({
    ...options,
    authorize: (token) => ({ authorization: `token ${token}` }),
  })
}
