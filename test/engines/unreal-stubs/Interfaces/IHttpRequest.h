#pragma once
#include "Interfaces/IHttpResponse.h"
class IHttpRequest;
using FHttpRequestPtr = TSharedPtr<IHttpRequest>;
using FHttpRequestRef = TSharedRef<IHttpRequest>;
struct FHttpRequestCompleteDelegate { template <class F> void BindLambda(F Function) { Function(FHttpRequestPtr(), FHttpResponsePtr(), true); } };
class IHttpRequest
{
public:
	void SetVerb(const FString& Verb); void SetURL(const FString& Url); void SetTimeout(float Seconds);
	void SetHeader(const FString& Name, const FString& Value); void SetContentAsString(const FString& Content); void SetContent(const TArray<uint8>& Content);
	FHttpRequestCompleteDelegate& OnProcessRequestComplete(); bool ProcessRequest(); void CancelRequest();
};
