#pragma once

#include "adapters/net/tls_context.h"
#include "adapters/pki/certificate.h"
#include "base/result.h"

#include <openssl/ssl.h>

namespace muster::net {

// CAs that a client announces in its first message (certificate_authorities, RFC 8446 §4.2.4). A
// server with an operator's certificate for browsers shows the cluster's certificate to agents,
// other servers and the command line. A pinned CA is named by its fingerprint, which is all the
// client knows. The announcement is a hint: certificates are verified as usual.

// For clients. Long lists, such as the machine's CA bundle, are not announced.
result<void> announce_authorities(SSL_CTX* client, const trust& trusted);

// For servers, while they handle a client's first message.
bool client_trusts(SSL* client, const pki::certificate& authority);

}  // namespace muster::net
