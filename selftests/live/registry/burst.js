// SPDX-License-Identifier: GPL-2.0-only
//
// Asks for one page over so many connections at once, which stay, in three rounds, as a package manager does
// that has a lot to fetch.
//
//	node burst.js URL CONNECTIONS
//
// Prints "good N new N reused N", and each error.
'use strict';
const https = require('https');

const [url, connections] = process.argv.slice(2);
const agent = new https.Agent({ keepAlive: true, maxSockets: +connections, timeout: 20000 });
const counts = { good: 0, new: 0, reused: 0 };

function get() {
	return new Promise((resolve) => {
		const request = https.get(url, { agent }, (response) => {
			counts[request.reusedSocket ? 'reused' : 'new']++;
			counts.good += response.statusCode === 200;
			response.resume().on('end', resolve);
		});
		request.on('error', (error) => resolve(console.log(error.message)));
	});
}

(async () => {
	for (let round = 0; round < 3; round++)
		await Promise.all(Array.from({ length: +connections }, get));
	agent.destroy();
	console.log(`good ${counts.good} new ${counts.new} reused ${counts.reused}`);
})();
