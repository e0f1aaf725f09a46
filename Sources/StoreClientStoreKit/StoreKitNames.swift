#if canImport(StoreKit)
internal import StoreKit

typealias AppStorefront = StoreKit.Storefront
#else
internal import SimulatedStoreKit

typealias AppStorefront = SimulatedStoreKit.Storefront
#endif
