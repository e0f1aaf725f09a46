internal import Dispatch
internal import Synchronization

// Over several lanes every command first finds the lanes in whose rows it may write. What belongs to one lane joins its
// groups; the few that touch several are groups of their own.

extension Ledger {
  /// How often a command is sent on to other lanes, before it is given up: each time somebody was merged or moved just
  /// then.
  private static let routesMax = 16

  func bookRouted(_ command: LedgerCommand) async throws(LedgerError) -> Receipt {
    var command = try stocked(command)
    for _ in 0..<Self.routesMax {
      let route = try await routes.lanes(of: command)
      let answer: Result<Receipt, LedgerError>
      if route.count == 1 {
        let answers = await lanes[route[0]].book(command)
        answer = answers[answers.startIndex]
      } else {
        answer = bookCrossing(command, lanes: route)
      }
      if !answer.isMisrouted { return try answer.get() }
      command = try stocked(command)
    }
    throw .keepsMoving
  }

  func submitRouted(_ asked: [LedgerCommand]) -> [Result<Receipt, LedgerError>] {
    var results = [Result<Receipt, LedgerError>](repeating: .failure(.keepsMoving), count: asked.count)
    let commands: [LedgerCommand]
    do throws(LedgerError) {
      commands = try asked.map { (command) throws(LedgerError) in try stocked(command) }
    } catch {
      return asked.map { _ in .failure(error) }
    }
    var gathered: [Int] = []
    var claims: Set<LedgerCommand.PurchaseClaim> = []
    for place in commands.indices {
      if commands[place].keepsOrder(after: &claims) {
        gathered.append(place)
        continue
      }
      // What comes after it may depend on it, and it on what came before.
      submit(commands, at: gathered, into: &results)
      submit(commands, at: [place], into: &results)
      gathered = []
      claims = []
    }
    submit(commands, at: gathered, into: &results)
    return results
  }

  private func submit(
    _ commands: [LedgerCommand], at places: [Int], into results: inout [Result<Receipt, LedgerError>]
  ) {
    var (open, commands) = (places, commands)
    for _ in 0..<Self.routesMax where !open.isEmpty {
      do throws(LedgerError) {
        let routes = try storage.lanes(of: open.map { commands[$0] })
        var byLane: [[Int]] = Array(repeating: [], count: lanes.count)
        for (place, route) in zip(open, routes) where route.count == 1 { byLane[route[0]].append(place) }
        bookSideBySide(commands, byLane, into: &results)
        for (place, route) in zip(open, routes) where route.count > 1 {
          results[place] = bookCrossing(commands[place], lanes: route)
        }
      } catch {
        for index in open { results[index] = .failure(error) }
        return
      }
      open = open.filter { results[$0].isMisrouted }
      do throws(LedgerError) {
        for index in open { commands[index] = try stocked(commands[index]) }
      } catch {
        for index in open { results[index] = .failure(error) }
        return
      }
    }
    for index in open { results[index] = .failure(.keepsMoving) }
  }

  private func bookSideBySide(
    _ commands: [LedgerCommand], _ places: [[Int]], into results: inout [Result<Receipt, LedgerError>]
  ) {
    let busy = lanes.indices.filter { !places[$0].isEmpty }
    guard busy.count > 1 else {
      for lane in busy { book(commands, places[lane], in: lane) { results[$0] = $1 } }
      return
    }
    let answers = Mutex<[(Int, Result<Receipt, LedgerError>)]>([])
    DispatchQueue.concurrentPerform(iterations: busy.count) { index in
      var own: [(Int, Result<Receipt, LedgerError>)] = []
      book(commands, places[busy[index]], in: busy[index]) { own.append(($0, $1)) }
      answers.withLock { $0 += own }
    }
    for (place, answer) in answers.withLock({ $0 }) { results[place] = answer }
  }

  private func book(
    _ commands: [LedgerCommand], _ places: [Int], in lane: Int, answer: (Int, Result<Receipt, LedgerError>) -> Void
  ) {
    for start in stride(from: 0, to: places.count, by: Limits.commandsPerGroup) {
      let group = places[start..<min(start + Limits.commandsPerGroup, places.count)]
      let answers = lanes[lane].bookBlocking(group.map { commands[$0] })
      for (place, result) in zip(group, answers) { answer(place, result) }
    }
  }

  /// The command with the stock that it is known to need.
  private func stocked(_ command: LedgerCommand) throws(LedgerError) -> LedgerCommand {
    guard case .buyItem(let item, let quantity) = command.body.action, catalog.hasStock(item) else { return command }
    if !stocks.withLock({ $0.contains(item) }) {
      try createCustomer(CustomerID(ofStock: item))
      stocks.withLock { _ = $0.insert(item) }
    }
    return command.withAction(.buyStocked(item, quantity: quantity))
  }

  private func bookCrossing(_ command: LedgerCommand, lanes: [Int]) -> Result<Receipt, LedgerError> {
    let committer = GroupCommitter(storage: storage, lanes: lanes, clock: clock, catalog: catalog, commits: commits)
    return committer.commit([command])[0]
  }
}

extension LedgerCommand {
  /// Whether it may be booked beside others of a list: nothing but its customer's own rows says what comes of it.
  ///
  /// - Parameter claims: The store transactions of those others.
  fileprivate func keepsOrder(after claims: inout Set<PurchaseClaim>) -> Bool {
    switch body.action {
    case .adjustOne, .adjust, .buyItem, .createCustomer, .freeze, .unfreeze, .hold, .exchange, .settle: true
    // They name what was booked before the list was made, and go to the lane of whose it is.
    case .reverse, .capture, .extendHold, .release: true
    case .creditPurchase: (footprint?.purchases ?? []).allSatisfy { claims.insert($0).inserted }
    case .openOrder, .completeOrder, .advanceOrder, .registerToken, .holdEntitlement, .refund, .reverseRefund, .merge,
      .createAlias, .buyStocked, .basket, .erase:
      false
    }
  }
}

extension Result<Receipt, LedgerError> {
  fileprivate var isMisrouted: Bool {
    if case .failure(let error) = self { return error == .misrouted }
    return false
  }
}

extension LedgerError {
  /// The command belongs to other lanes than it was sent to; the ledger sends it on, and nobody else sees this.
  static let misrouted = LedgerError(.unexpected, "The command belongs to another lane.")

  fileprivate static let keepsMoving = LedgerError(
    .storageUnavailable, "The customer is being merged again and again; nothing was booked. Ask again.")
}
