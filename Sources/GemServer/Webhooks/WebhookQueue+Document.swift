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

  package init(reading document: StoredJSON) throws(LedgerError) {
    self.init(cursor: FeedCursor(try document["cursor"].text()))
    waiting = try document["waiting"].elements().map(Waiting.init(reading:))
    if let outage = document["outage"].optional {
      self.outage = Outage(
        since: try outage["since"].instant(),
        failures: Int(clamping: try outage["failures"].integer(in: 0...Int64.max)),
        next: try outage["next"].instant())
    }
    pausedUntil = try document["paused_until"].optional?.instant()
    if let lease = document["lease"].optional {
      self.lease = Lease(owner: try lease["owner"].text(), until: try lease["until"].instant())
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

  fileprivate init(reading document: StoredJSON) throws(LedgerError) {
    self.init(try document["transaction"].transactionID(), next: try document["next"].instant())
    (failures, reason) = (Int(clamping: try document["failures"].integer()), try document["reason"].text())
    (isRefused, isReplay) = (try document["refused"].bool(), try document["replay"].bool())
  }
}
#endif
