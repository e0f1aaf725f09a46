#if Server
package import GemLedger

// The queue as JSON. It contains transaction ids only, so that erasing a customer changes no document.

extension WebhookQueue {
  package var json: JSONValue {
    var object: JSONObject = [
      "cursor": .string(cursor.description), "waiting": .array(waiting.map(\.json)),
    ]
    if let outage {
      object["outage"] = [
        "since": .integer(outage.since.milliseconds), "failures": .integer(Int64(outage.failures)),
        "next": .integer(outage.next.milliseconds),
      ]
    }
    if let pausedUntil { object["paused_until"] = .integer(pausedUntil.milliseconds) }
    if let lease {
      object["lease"] = ["owner": .string(lease.owner), "until": .integer(lease.until.milliseconds)]
    }
    return .object(object)
  }

  /// Reads the form of ``json``; nil for any other form.
  package init?(_ json: JSONValue) {
    guard let cursor = json["cursor"]?.text, let list = json["waiting"]?.array else { return nil }
    self.init(cursor: FeedCursor(cursor))
    for element in list {
      guard let waiting = Waiting(element) else { return nil }
      self.waiting.append(waiting)
    }
    if let outage = json["outage"] {
      guard let since = outage["since"]?.instant, let failures = outage["failures"]?.integer,
        let next = outage["next"]?.instant, let failures = Int(exactly: failures), failures >= 0
      else { return nil }
      self.outage = Outage(since: since, failures: failures, next: next)
    }
    pausedUntil = json["paused_until"]?.instant
    if let lease = json["lease"] {
      guard let owner = lease["owner"]?.text, let until = lease["until"]?.instant else { return nil }
      self.lease = Lease(owner: owner, until: until)
    }
  }
}

extension WebhookQueue.Waiting {
  package var json: JSONValue {
    [
      "transaction": .string(transaction.description), "failures": .integer(Int64(failures)),
      "next": .integer(next.milliseconds), "reason": .string(reason), "refused": .bool(isRefused),
      "replay": .bool(isReplay),
    ]
  }

  /// Reads the form of ``json``; nil for any other form.
  package init?(_ json: JSONValue) {
    guard let text = json["transaction"]?.text, let transaction = TransactionID(exactly: text),
      let failures = json["failures"]?.integer, let next = json["next"]?.instant, let reason = json["reason"]?.text,
      let isRefused = json["refused"]?.bool, let isReplay = json["replay"]?.bool
    else { return nil }
    self.init(transaction, next: next)
    (self.failures, self.reason) = (Int(clamping: failures), reason)
    (self.isRefused, self.isReplay) = (isRefused, isReplay)
  }
}

extension JSONValue {
  /// An instant in milliseconds.
  var instant: Timestamp? { integer.map(Timestamp.init(milliseconds:)) }
}
#endif
