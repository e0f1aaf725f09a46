// An app imports this module and nothing else: the types that its calls mention come along.
//
// The catalog's `Product` and `Offering` stay behind: beside StoreKit's own names they would be ambiguous.

@_exported public import struct GemLedger.Adjustment
@_exported public import struct GemLedger.Balance
@_exported public import struct GemLedger.Booking
@_exported public import struct GemLedger.Catalog
@_exported public import struct GemLedger.CurrencyCode
@_exported public import typealias GemLedger.CustomerID
@_exported public import struct GemLedger.Grant
@_exported public import typealias GemLedger.IdempotencyKey
@_exported public import struct GemLedger.Identifier
@_exported public import struct GemLedger.Item
@_exported public import struct GemLedger.ItemGrant
@_exported public import typealias GemLedger.ItemID
@_exported public import struct GemLedger.LedgerError
@_exported public import struct GemLedger.Money
@_exported public import typealias GemLedger.OfferingID
@_exported public import struct GemLedger.Price
@_exported public import typealias GemLedger.ProductCode
@_exported public import struct GemLedger.ProductType
@_exported public import typealias GemLedger.PurchaseCode
@_exported public import struct GemLedger.Store
@_exported public import typealias GemLedger.StoreTransactionID
@_exported public import struct GemLedger.StorefrontCode
@_exported public import struct GemLedger.Timestamp
@_exported public import struct GemLedger.TransactionID
@_exported public import struct StoreBackend.AccountToken
@_exported public import struct StoreBackend.AppPlatform
@_exported public import enum StoreBackend.BackendCall
@_exported public import protocol StoreBackend.BackendDecorator
@_exported public import struct StoreBackend.CustomerRecord
@_exported public import enum StoreBackend.EntitlementSharing
@_exported public import struct StoreBackend.IdentityPreview
@_exported public import struct StoreBackend.OfferingsSnapshot
@_exported public import struct StoreBackend.Order
@_exported public import struct StoreBackend.OrderContext
@_exported public import struct StoreBackend.OrderRequest
@_exported public import protocol StoreBackend.PurchaseBackend
@_exported public import struct StoreBackend.PurchaseRecord
@_exported public import struct StoreBackend.ReceiptAnswer
@_exported public import struct StoreBackend.ReceiptPost
@_exported public import struct StoreBackend.Registration
@_exported public import struct StoreBackend.StoreReceipt
@_exported public import struct StoreBackend.StoreTransaction
