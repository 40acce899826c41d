/** Writes the Homebrew formula, which installs npm's package: one for all platforms. */
import type { Manifest } from "./manifest.ts"

/** Stands for the repository until package.json names it. No address ends like this. */
const NO_REPOSITORY = "https://repository.invalid"

export type Download = {
  /** The file's name among those of a release. */
  readonly file: string
  readonly sha256: string
}

/**
 * @returns the text of the formula.
 * @see https://docs.brew.sh/Language-Specific-Formulae#node
 */
export function formula(manifest: Manifest, { file, sha256 }: Download): string {
  const { name, version, description, license, repository } = manifest
  const home = repository?.url.replace(/^git\+/, "").replace(/\.git$/, "") ?? NO_REPOSITORY
  const title = name.replace(/^./, (letter) => letter.toUpperCase())
  return `class ${title} < Formula
  desc "${description.replace(/\.$/, "")}"
  homepage "${home}"
  url "${home}/releases/download/v${version}/${file}"
  sha256 "${sha256}"
  license "${license}"

  depends_on "git"
  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec.glob("lib/node_modules/${name}/dist/man/*.1")
    man7.install_symlink libexec.glob("lib/node_modules/${name}/dist/man/*.7")
    generate_completions_from_executable(bin/"${name}", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/${name} --version")
  end
end
`
}
