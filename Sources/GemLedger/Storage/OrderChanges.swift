/// A group's changes to orders, account tokens and entitlements.
package struct OrderChanges: Sendable {
  package var new: [OrderRow] = []
  package var changed: [OrderRow] = []
  package var accountTokens: [AccountTokenRow] = []
  /// They replace the stored rows of the same purchases.
  package var entitlements: [EntitlementRow] = []

  package var isEmpty: Bool {
    new.isEmpty && changed.isEmpty && accountTokens.isEmpty && entitlements.isEmpty
  }
}
