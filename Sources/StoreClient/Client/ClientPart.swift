internal import GemLedger
internal import StoreBackend

/// A part of a client with one task, over the shared context.
protocol ClientPart: Sendable {
  var context: ClientContext { get }
}

extension ClientPart {
  var configuration: StoreClient.Configuration { context.configuration }
  var store: Store { context.store }
  var backend: any PurchaseBackend { context.backend }
  var storefront: any Storefront { context.storefront }
  var queue: ReceiptQueue { context.queue }
  var pipeline: ReceiptPipeline { context.pipeline }
  var log: ClientLog { context.log }
  var funnel: Funnel { context.funnel }
  var appUserID: CustomerID { context.appUserID }

  var customerInfo: CustomerInfoSource { CustomerInfoSource(context: context) }
  var balances: BalanceSource { BalanceSource(context: context) }
  var offerings: OfferingsSource { OfferingsSource(context: context) }
  var outcomes: ReceiptOutcomes { ReceiptOutcomes(context: context) }
  var orders: OrderAnnouncements { OrderAnnouncements(context: context) }
}
