/** Turns a title into a part of a URL: `Hello, World!` becomes `hello-world`. */
export function slug(title) {
  const words = title.toLowerCase().split(/[^a-z0-9]+/)
  return words.filter((word) => word !== "").join("-")
}
