#if Server
internal import GemLedger
internal import GemServer
internal import SystemCrypto

/// Something that a reader can change: a form, a preview by the ledger, and the change.
///
/// The page with the form posts to itself. A first post shows the preview, which posts the same values again; only this
/// second post changes anything. The form carries the key of the change, so that a double click changes it once, and
/// the versions that its page showed, so that a stale page is refused.
struct Action: Sendable {
  /// The consequence of a form, before anything is changed.
  struct Change: Sendable {
    /// What will be, as the ledger computes it.
    let preview: HTML
    /// Whether the ledger knows the change already, and answers it with the first answer.
    let isRepeated: Bool
    /// Makes the change, and returns the page to read next.
    let make: @Sendable () async throws(LedgerError) -> Reply

    init(
      preview: HTML, isRepeated: Bool = false, make: @escaping @Sendable () async throws(LedgerError) -> Reply
    ) {
      self.preview = preview
      self.isRepeated = isRepeated
      self.make = make
    }
  }

  let title: String
  let path: String
  /// The permissions that the session's key needs.
  let scopes: [Scope]
  /// Whether it cannot be undone.
  let isFinal: Bool
  /// Whether the ledger recognizes a repeated change by its key.
  let isBooking: Bool
  let fields: @Sendable (Visit) throws(LedgerError) -> [Field]
  let change: @Sendable (Visit) throws(LedgerError) -> Change

  /// - Parameters:
  ///   - title: What it does, such as `Grant currency`.
  ///   - path: As of ``ConsoleRoute``.
  ///   - fields: The inputs besides the reason.
  ///   - change: Reads the form and asks the ledger; changes nothing.
  init(
    _ title: String, _ path: String, scopes: [Scope], isFinal: Bool = false, isBooking: Bool = false,
    fields: @escaping @Sendable (Visit) throws(LedgerError) -> [Field] = { _ in [] },
    change: @escaping @Sendable (Visit) throws(LedgerError) -> Change
  ) {
    (self.title, self.path, self.scopes, self.isFinal) = (title, path, scopes, isFinal)
    self.isBooking = isBooking
    self.fields = fields
    self.change = change
  }

  init(
    _ title: String, _ path: String, _ scope: Scope, isFinal: Bool = false,
    fields: @escaping @Sendable (Visit) throws(LedgerError) -> [Field] = { _ in [] },
    change: @escaping @Sendable (Visit) throws(LedgerError) -> Change
  ) {
    self.init(title, path, scopes: [scope], isFinal: isFinal, fields: fields, change: change)
  }

  var routes: [ConsoleRoute] {
    [
      ConsoleRoute("GET", path, scopes, .blocking { (visit) throws(LedgerError) in .page(try form(visit)) }),
      ConsoleRoute("POST", path, scopes, .suspending { (visit) async throws(LedgerError) in try await post(visit) }),
    ]
  }

  // MARK: Steps

  private func form(_ visit: Visit, error: LedgerError? = nil) throws(LedgerError) -> ConsolePage {
    let sent = visit.form.fields.isEmpty ? nil : visit.form
    let key = sent?["key"] ?? "console-\(ConsoleSessions.randomText().prefix(32))"
    let fields = try self.fields(visit) + [.reason]
    let html = visit.form(
      to: visit.path(with: [:]),
      [Field.hidden("key", key)] + fields.map { $0.html(sent) } + [
        .element(.button, [], ["Preview"]).with(.type, "submit").with(.name, "step").with(.value, "preview")
      ])
    return ConsolePage(title, subject(of: visit), html.classed("action"), error: error)
  }

  private func post(_ visit: Visit) async throws(LedgerError) -> Reply {
    do throws(LedgerError) {
      if visit.form["step"] == "form" { return .page(try form(visit)) }
      _ = try visit.reason
      let isConfirmed = visit.form["step"] == "confirm"
      let change: Change
      do throws(LedgerError) {
        change = try await BlockingWork.run { () throws(LedgerError) in try self.change(visit) }
      } catch {
        // The first of two equal forms may have removed what the second is about.
        if isConfirmed, visit.services.sentForms.contains(try visit.formName) { throw SentForms.sentBefore }
        throw error
      }
      guard isConfirmed else {
        return .page(try await BlockingWork.run { () throws(LedgerError) in try confirmation(change.preview, visit) })
      }
      let isKnown = change.isRepeated ? true : visit.services.sentForms.contains(try visit.formName)
      let seen = try digest(of: change.preview, visit)
      guard isKnown || visit.form["preview"] == seen else { throw Self.changedSince }
      return try await once(change, visit)
    } catch {
      return .page(try await BlockingWork.run { () throws(LedgerError) in try form(visit, error: error) })
    }
  }

  private static let changedSince = LedgerError(
    .conditionFailed, "What the form changes is not what a preview showed. Nothing was changed; preview it again.")

  /// The values that a preview carries to its confirmation.
  private func carried(_ visit: Visit) throws(LedgerError) -> [HTML] {
    let values =
      visit.form.without("step", "form_token", "at", "preview").fields + [
        ("at", String(try visit.previewedAt.milliseconds))
      ]
    return values.map { Field.hidden($0.name, $0.value) }
  }

  /// Names a preview with the values that led to it.
  private func digest(of preview: HTML, _ visit: Visit) throws(LedgerError) -> String {
    let parts = HTML.group(try carried(visit) + [preview])
    return Hex.text(TextDigest.sha256(of: String(decoding: parts.bytes, as: UTF8.self)))
  }

  /// What the form is about: the names in its path.
  private func subject(of visit: Visit) -> HTML {
    .facts(
      visit.names.sorted { $0.key < $1.key }.map { name, value in
        (name.prefix(1).uppercased() + name.dropFirst(), .foreign(value, limit: 200))
      })
  }

  private func once(_ change: Change, _ visit: Visit) async throws(LedgerError) -> Reply {
    let name = try visit.formName
    // The ledger answers a repeated booking with the first answer.
    if isBooking, visit.services.sentForms.contains(name) { return try await change.make() }
    try visit.services.sentForms.take(name)
    do throws(LedgerError) { return try await change.make() } catch {
      visit.services.sentForms.giveBack(name)
      throw error
    }
  }

  private func confirmation(_ preview: HTML, _ visit: Visit) throws(LedgerError) -> ConsolePage {
    let entered = try (fields(visit) + [.reason]).map { (name: $0.label, value: $0.entered(visit.form)) }
    let confirm = HTML.element(.button, [], [.text(isFinal ? "\(title), for good" : title)]).with(.type, "submit")
      .with(.name, "step").with(.value, "confirm").classed(isFinal ? "danger" : "primary")
    let back = HTML.element(.button, [], ["Change the form"]).with(.type, "submit").with(.name, "step")
      .with(.value, "form")
    return ConsolePage(
      "\(title): preview", .message("note", .p("Nothing has changed yet. This is what will be:")), preview,
      .facts(entered),
      visit.form(
        to: visit.path(with: [:]),
        try carried(visit) + [
          Field.hidden("preview", try digest(of: preview, visit)), .p(confirm, " ", back),
        ]))
  }
}

extension Visit {
  /// The idempotency key of the form.
  var key: IdempotencyKey {
    get throws(LedgerError) { try IdempotencyKey(form["key"] ?? "") }
  }

  /// The name of the form among the sent ones: what it changes, and its key.
  fileprivate var formName: String {
    get throws(LedgerError) { Hex.text(TextDigest.sha256(of: "\(path(with: [:])) \(try key)")) }
  }

  /// The instant of the preview, which is the change's date: a repeated form is then the same change.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for an instant in the future.
  var previewedAt: Timestamp {
    get throws(LedgerError) {
      guard form["step"] == "confirm", let text = form["at"] else { return reader.now }
      guard let milliseconds = Int64(text), milliseconds <= reader.now.milliseconds else {
        throw .invalid("The date of the preview is in the future. Preview the form again.")
      }
      return Timestamp(milliseconds: milliseconds)
    }
  }

  /// - Throws: `LedgerError` with `invalid_request` if the form has no reason; `invalid_identifier`.
  var reason: Reason {
    get throws(LedgerError) {
      guard let text = form["reason"] else { throw .invalid("Say why: the reason is missing.") }
      return try Reason(text)
    }
  }

  /// Returns the amount in a field.
  ///
  /// - Throws: `LedgerError` with `invalid_request` unless it is 1 or more in plain digits.
  func amount(_ name: String) throws(LedgerError) -> Int64 {
    let text = form[name] ?? ""
    guard let amount = Int64(text), amount > 0, String(amount) == text else {
      throw .invalid("An amount is a whole number in plain digits, such as 1200, not \"\(text.prefix(40))\".")
    }
    return amount
  }
}
#endif
