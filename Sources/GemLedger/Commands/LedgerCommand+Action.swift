// All kinds of commands, once. A new kind has its case, its line of the switch, and its number in fingerprints here.

extension LedgerCommand {
  // A command is small, since many wait in memory at a time, and each is read once. So requests of more than two words
  // are boxed. Those of more than three are classes: else each use of `command` would box them again.
  enum Action: Sendable {
    /// One adjustment of an existing customer; its grants are earned in production.
    case adjustOne(AdjustOneCommand)
    case adjust(AdjustCommand)
    case buyItem(BuyItemCommand)
    case creditPurchase(CreditPurchaseCommand)
    case holdReceipt(HoldReceiptCommand)
    case createCustomer(CreateCustomerCommand)
    case openOrder(OpenOrderCommand)
    case completeOrder(CompleteOrderCommand)
    case advanceOrder(AdvanceOrderCommand)
    case holdEntitlement(HoldEntitlementCommand)
    case refund(RefundCommand)
    case reverseRefund(ReverseRefundCommand)
    indirect case merge(MergeCommand)
    case createAlias(CreateAliasCommand)
    case unmerge(UnmergeCommand)
    case freeze(FreezeCommand)
    indirect case reverse(ReverseCommand)
    case hold(HoldCommand)
    case capture(CaptureCommand)
    indirect case extendHold(ExtendHoldCommand)
    case release(ReleaseCommand)
    case basket(BasketCommand)
    case exchange(ExchangeCommand)
    case bookDue(BookDueCommand)
    case erase(EraseCommand)

    var command: any Command {
      switch self {
      case .adjustOne(let command): command
      case .adjust(let command): command
      case .buyItem(let command): command
      case .creditPurchase(let command): command
      case .holdReceipt(let command): command
      case .createCustomer(let command): command
      case .openOrder(let command): command
      case .completeOrder(let command): command
      case .advanceOrder(let command): command
      case .holdEntitlement(let command): command
      case .refund(let command): command
      case .reverseRefund(let command): command
      case .merge(let command): command
      case .createAlias(let command): command
      case .unmerge(let command): command
      case .freeze(let command): command
      case .reverse(let command): command
      case .hold(let command): command
      case .capture(let command): command
      case .extendHold(let command): command
      case .release(let command): command
      case .basket(let command): command
      case .exchange(let command): command
      case .bookDue(let command): command
      case .erase(let command): command
      }
    }
  }
}

/// The kind of request in a fingerprint: its five highest bits.
///
/// Fingerprints are kept for ever: a number keeps its meaning and its layout, and a new layout gets a new number. The
/// numbers 1, 2, 6, 7, 12 to 15, 18 and 30 are free.
enum FingerprintKind: UInt64, CaseIterable {
  case item = 3
  case purchase = 4
  case create = 5
  case merge = 8
  case alias = 9
  case freeze = 10
  case unfreeze = 11
  case release = 16
  case basket = 17
  case adjust = 19
  case grant = 20
  case opening = 21
  case reverse = 22
  case hold = 23
  case capture = 24
  case extend = 25
  case exchange = 26
  case refund = 27
  case reversedRefund = 28
  case unmerge = 29
  /// All commands without a key: their content makes them idempotent.
  case keyless = 31
}
