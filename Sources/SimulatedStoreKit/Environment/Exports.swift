// `import StoreKit` gives an app Foundation's types too: the code of an app with this one import must compile here.
@_exported public import Foundation
