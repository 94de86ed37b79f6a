// SPDX-License-Identifier: Apache-2.0
/* offload INTERFACE 0|1: takes away, or gives, segmentation offload, generic
 * segmentation and receive offload, and scatter-gather. */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "number.h"

int main(int argc, char **argv)
{
	static const unsigned int given[] = { ETHTOOL_SSG, ETHTOOL_STSO,
					      ETHTOOL_SGSO, ETHTOOL_SGRO };
	static const unsigned int taken[] = { ETHTOOL_STSO, ETHTOOL_SGSO,
					      ETHTOOL_SGRO, ETHTOOL_SSG };
	int s = socket(AF_INET, SOCK_DGRAM, 0), status = 0;
	unsigned int on;

	if (argc != 3)
		return 2;
	on = (unsigned int)number(argv[2], 0, 1);
	for (unsigned int i = 0; i < 4; i++) {
		struct ethtool_value v = { on ? given[i] : taken[i], on };
		struct ifreq r = { .ifr_data = (void *)&v };

		strncpy(r.ifr_name, argv[1], IFNAMSIZ - 1);
		if (ioctl(s, SIOCETHTOOL, &r)) {
			perror(argv[1]);
			status = 1;
		}
	}
	return status;
}
