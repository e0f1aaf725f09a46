/// The commit that the package was built from.
///
/// It is a separate module, so that a new commit recompiles nothing else.
package enum CommitOfBuild {
  /// The first twelve digits; nil if the package was not built in a clone.
  package static var text: String? { readCommit.isEmpty ? nil : readCommit }
}
