#pragma once

#include "adapters/net/tls_context.h"
#include "adapters/pki/certificate.h"
#include "base/result.h"

#include <openssl/ssl.h>

namespace muster::net {

// Which CAs a client believes, said in its first message (certificate_authorities, RFC 8446
// §4.2.4): a server that shows browsers a certificate the operator brought shows the cluster's own
// to agents, to other servers and to the command line. A CA that is pinned is named by its
// fingerprint, since that is all the client knows of it. It is a hint: what is shown is verified as
// ever.

// Of a client. Long lists, as of the machine's own authorities, are not told.
result<void> tell_authorities(SSL_CTX* client, const trust& believed);

// Of a server, while it answers a client's first message.
bool believes_in(SSL* client, const pki::certificate& authority);

}  // namespace muster::net
