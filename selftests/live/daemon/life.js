// SPDX-License-Identifier: GPL-2.0-only
// A session's life through Node's own http module, on the socket given: says how it ended, the exit code of its one
// request, and of how many changes its events told.
'use strict';
const http = require('http');
const socketPath = process.argv[2];

function call(method, path, body) {
	return new Promise((resolve, reject) => {
		const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `${method} ${path}` };
		const request = http.request({ socketPath, method, path, headers }, (reply) => {
			let text = '';
			reply.on('data', (piece) => (text += piece));
			reply.on('end', () => {
				if (reply.statusCode >= 300)
					reject(new Error(`${method} ${path}: ${reply.statusCode} ${text}`));
				else
					resolve(JSON.parse(text));
			});
		});
		request.on('error', reject);
		request.end(body && JSON.stringify(body));
	});
}

// The types of a session's events, until one of them is the last.
function follow(id, last) {
	return new Promise((resolve, reject) => {
		const types = [];
		const request = http.get({ socketPath, path: `/v1/sessions/${id}/events?after=0` }, (reply) => {
			let text = '';
			reply.on('data', (piece) => {
				text += piece;
				const found = text.match(/^event: .*$/gm) || [];
				if (!found.some((line) => line === `event: ${last}`))
					return;
				for (const line of found)
					types.push(line.slice(7));
				request.destroy();
				resolve(types);
			});
		});
		request.on('error', (error) => types.length || reject(error));
	});
}

async function main() {
	const session = await call('POST', '/v1/sessions', {
		owner: 'usr_01JAB2C3D4E5F6G7H8J9K0MNPQ', task: { id: 't1', title: 'By Node' },
		cap: { money_cents: 100, minutes: 5 }, step_budget: 10, egress: 'none',
	});
	const id = session.session_id;
	await call('POST', `/v1/sessions/${id}/go`);
	const request = await call('POST', `/v1/sessions/${id}/requests`, { command: 'exit 42' });
	let seen = request;
	for (let tries = 0; seen.state !== 'finished' && tries < 200; tries++) {
		await new Promise((resolve) => setTimeout(resolve, 50));
		seen = await call('GET', `/v1/requests/${request.request_id}`);
	}
	const ended = await call('POST', `/v1/sessions/${id}/end`);
	const types = await follow(id, 'session.ended');
	const wanted = ['session.created', 'request.queued', 'request.started', 'request.finished', 'session.ended'];
	console.log(ended.state, seen.exit_code, wanted.filter((type) => types.includes(type)).length);
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
