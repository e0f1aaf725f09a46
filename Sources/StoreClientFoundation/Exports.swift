// An app imports only this module of the package.

@_exported public import Foundation
@_exported public import StoreClient
