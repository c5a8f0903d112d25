// precompiled_asio.h and gRPC with etcd's messages.
#include "precompiled_asio.h"

#include <grpcpp/grpcpp.h>

#include <etcd.pb.h>
