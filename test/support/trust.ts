/** Approves what a test's own home names, as the person who wrote it would: by the code of `coppice trust`. */
import { findHome } from "../../src/client/home.ts"
import { approve, examineTrust } from "../../src/client/trust/examine.ts"
import { AppError } from "../../src/core/errors.ts"

/** Where a command would find no home, or one with mistakes, that command says so. */
export async function approveHome(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    const at = args.indexOf("--home")
    const found = await examineTrust(findHome(cwd, { home: args[at + 1 || args.length], env }), env)
    if (!found.document.approved) approve(found)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
