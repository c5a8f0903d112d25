// precompiled_roles.h and the largest of the parts that a server is put together from.
#include "precompiled_roles.h"
#include "roles/compat/compatible_api.h"
#include "roles/dispatch/dispatcher.h"
#include "roles/dispatch/onlookers.h"
#include "roles/gateway/events_api.h"
#include "roles/node/channel_host.h"
