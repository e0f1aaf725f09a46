/// The problem of a line before the line's number is known.
package struct LineFault: Error {
  package let message: String

  package init(_ message: String) { self.message = message }
}
