/// A step of the way from a tap to a purchase that is done, in the order of work.
package enum Step: String, CaseIterable, Sendable {
  /// The buyer is durable; nothing is paid.
  case intent
  /// The store has the money, and the app does not know it yet.
  case paid
  /// The app has the evidence in its hands, by a purchase, an update or a list.
  case delivered
  /// The receipt is in the durable queue.
  case queued
  /// The backend has verified the receipt.
  case verified
  /// The backend keeps the purchase, which it cannot credit yet.
  case held
  /// The credit is committed.
  case credited
  /// The queue knows that it is credited.
  case finishOnly = "finish-only"
  /// The store knows that it is credited.
  case finished
  /// The queue has forgotten it for good.
  case dropped
  /// The backend has booked a notice of the store, and the store does not know it.
  case noticed

  /// Those of every purchase.
  package static let ofPurchases = allCases.filter { $0 != .held && $0 != .noticed }
}

/// A fault at a step.
package enum Fault: String, CaseIterable, Sendable {
  /// The process is killed right after it.
  case kill
  /// The network is lost right before it, for the rest of the process.
  case lostBefore = "lost-before"
  /// The network is lost right after it, so that its answer is lost, for the rest of the process.
  case lostAfter = "lost-after"
}

/// The actions of the customer and the store.
package enum Scenario: String, CaseIterable, Sendable {
  /// A customer buys.
  case purchase
  /// A customer buys in two steps: an order first, completed with the receipt.
  case twoStep = "two-step"
  /// A customer buys, and a parent agrees later.
  case approval
  /// The store delivers a finished purchase once more.
  case redelivery
  /// The store gives the money back.
  case refund
  /// The store gives the money back while the app is closed, and tells the backend nothing; then the app starts, and
  /// the customer buys again.
  case refundWhileClosed = "refund-while-closed"
  /// A customer buys while the same product is paid for and not finished.
  case buyWithUnfinished = "buy-with-unfinished"
  /// The app starts after it was killed with a paid purchase in flight, and the customer buys again.
  case restart
  /// A customer buys what the backend's catalog lacks; the catalog gets it, and the background credits it.
  case catalogGap = "catalog-gap"
  /// The store gives the money back while the app is closed, and takes that back; the backend hears of it in the other
  /// order.
  case lateNotices = "late-notices"

  /// The steps that it has.
  package var steps: [Step] {
    switch self {
    case .catalogGap: Step.ofPurchases + [.held]
    case .lateNotices: Step.ofPurchases + [.noticed]
    default: Step.ofPurchases
    }
  }

  /// The steps that only happen before the act, and not in the act itself.
  var earlySteps: Set<Step> {
    switch self {
    case .purchase, .twoStep, .approval, .refundWhileClosed, .restart, .catalogGap: []
    case .lateNotices: Set(Step.ofPurchases)
    case .redelivery, .refund: [.intent, .paid]
    // The product is not paid for again, and the receipt is in the queue already.
    case .buyWithUnfinished: [.paid, .queued]
    }
  }
}

/// How the way is built.
package enum Build: String, Sendable {
  /// As the product does it.
  case real
  /// The control: the store is told that a purchase is credited before it is.
  case finishesFirst = "finishes-first"
}

/// How the app reaches its backend.
package enum Access: String, Sendable {
  /// By calls in its process.
  case direct
  /// Over HTTP, at a server on a loopback port that is started and killed with the app.
  case http
  /// Over HTTP, where a lost answer arrives up to its middle.
  case httpBreakingOff = "http-breaking-off"
}

/// One run of the matrix.
package struct Cell: Hashable, Sendable {
  package var scenario: Scenario
  package var step: Step
  package var fault: Fault
  package var build: Build

  package init(_ scenario: Scenario, _ step: Step, _ fault: Fault, build: Build = .real) {
    self.scenario = scenario
    self.step = step
    self.fault = fault
    self.build = build
  }

  /// As arguments of `gemcrash`.
  package var arguments: [String] { [scenario.rawValue, step.rawValue, fault.rawValue, build.rawValue] }

  package init?(arguments: some Collection<String>) {
    let words = Array(arguments)
    guard words.count == 4, let scenario = Scenario(rawValue: words[0]), let step = Step(rawValue: words[1]),
      let fault = Fault(rawValue: words[2]), let build = Build(rawValue: words[3])
    else { return nil }
    self.init(scenario, step, fault, build: build)
  }
}
