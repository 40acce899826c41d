/**
 * Sends requests to GitLab's REST API, for sources and forges.
 *
 * @see https://docs.gitlab.com/api/rest/
 */
import { type ApiOptions, RestClient } from "./client.ts"

/** @param options `api` ends with `/api/v4`. A project is named by its path: `{project}` encodes it. */
export function gitLabClient(options: ApiOptions): RestClient {
  return new RestClient({
    ...options,
    authorize: (token) => ({ authorization: `Bearer ${token}` }),
  })
}
